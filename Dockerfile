# syntax=docker/dockerfile:1
# The service on a slim base. Nothing is written but below /data: the root may be read-only.

FROM python:3.11.13-slim-bookworm AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY watcher ./watcher
COPY templates ./templates
COPY migrations ./migrations
RUN python -m venv /opt/watcher \
    && /opt/watcher/bin/pip install --no-cache-dir --constraint constraints.txt ".[postgresql]"

FROM python:3.11.13-slim-bookworm
# hadolint ignore=DL3008  git follows the base's own security updates
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin watcher \
    && install --directory --owner=watcher --group=watcher /data
COPY --from=build /opt/watcher /opt/watcher
ENV PATH=/opt/watcher/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    WATCHER_CONFIG=/config/watcher.toml \
    WATCHER_STORE_URL=sqlite:////data/watcher.db \
    WATCHER_STORE_MIRRORS=/data/mirrors
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8765
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8765/readyz', timeout=4)"]
ENTRYPOINT ["watcher"]
CMD ["serve", "--host", "0.0.0.0"]
