"""Operations: everything Glassmind can do, each declared once for every surface."""
