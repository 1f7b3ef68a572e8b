# pharos and nothing else: one program that listens on 8080 (API and console), 8081 (trackers) and 8082 (short links).
#
#     docker build -t pharos .
#     docker run -p 8080:8080 -p 8081:8081 -p 8082:8082 -v pharos:/var/lib/pharos pharos
#
# The build compiles the query engine (about half an hour on two cores); the image holds the program, two libraries of C++ and
# no shell. `docs/deployment.md` has the settings that a public installation needs.

FROM docker.io/library/rust:1.95-trixie AS build
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/source/target \
    cargo build --release --locked --package pharos && \
    mkdir -p /out/data && cp target/release/pharos /out/pharos

FROM gcr.io/distroless/cc-debian13:nonroot
COPY --from=build /out/pharos /usr/local/bin/pharos
# A volume begins as a copy of this directory, with its owner.
COPY --from=build --chown=65532:65532 /out/data /var/lib/pharos
USER 65532:65532
WORKDIR /var/lib/pharos
ENV PHAROS__STORAGE__DATA_DIR=/var/lib/pharos \
    PHAROS__SERVER__API_LISTEN=0.0.0.0:8080 \
    PHAROS__SERVER__TRACK_LISTEN=0.0.0.0:8081 \
    PHAROS__SERVER__LINKS_LISTEN=0.0.0.0:8082
VOLUME /var/lib/pharos
EXPOSE 8080 8081 8082
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/pharos"]
CMD ["serve"]
