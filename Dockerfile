# Glassmind over HTTP and MCP for one vault; see docs/docker.md, also for what is untested.
FROM python:3.11.14-slim-bookworm AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
# Only wheels: nothing is compiled here, and what installs stays behind in this stage.
RUN python -m venv --without-pip /opt/glassmind \
  && pip --python /opt/glassmind/bin/python install --no-cache-dir --only-binary :all: .

FROM python:3.11.14-slim-bookworm
RUN groupadd --gid 10001 glassmind \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin glassmind \
  && install --directory --mode 0700 --owner 10001 --group 10001 /data \
  && install --directory --mode 0755 /vault
COPY --from=build /opt/glassmind /opt/glassmind
# The index, models, settings and tokens lie below HOME; the vault is only read.
ENV PATH=/opt/glassmind/bin:$PATH \
    HOME=/data \
    GLASSMIND_VAULT_PATH=/vault \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /data
VOLUME ["/data"]
EXPOSE 7331
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "-c", "import http.client as h, sys; c = h.HTTPConnection('127.0.0.1', 7331, timeout=4); c.request('GET', '/health'); sys.exit(c.getresponse().status != 200)"]
ENTRYPOINT ["glassmind"]
# An address that others can reach needs a token of yours: without one this ends at once and says so.
CMD ["serve", "--host", "0.0.0.0"]
