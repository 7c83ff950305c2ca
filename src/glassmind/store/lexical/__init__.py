"""Words to chunks: a tantivy index that follows the rows."""
