-- What browsers and apps tell (real-user monitoring). Partitioned by day of receipt, and times kept as
-- told, as in edge_logs. Empty texts and zeros stand for what an event does not have.
create table if not exists rum_events (
  org_id            UUID,
  mode              Enum8('live' = 1, 'test' = 2),
  id                UUID,
  received_at       DateTime64(3, 'UTC') codec(Delta(8), ZSTD(1)),
  timestamp_ms      Int64 codec(Delta(8), ZSTD(1)),
  session_id        String codec(ZSTD(1)),
  type              LowCardinality(String),
  view_name         String codec(ZSTD(1)),
  view_url          String codec(ZSTD(1)),
  -- Path of the URL without query and fragment, ids as `*`: what pages are told apart by.
  page              String codec(ZSTD(1)),
  device_class      LowCardinality(String),
  error_type        String codec(ZSTD(1)),
  error_message     String codec(ZSTD(1)),
  error_fingerprint String codec(ZSTD(1)),
  vital_name        LowCardinality(String),
  vital_id          String codec(ZSTD(1)),
  vital_value       Float64,
  duration_ms       Float64,
  -- The event as it was sent.
  event             String codec(ZSTD(1)),
  time              DateTime64(3, 'UTC') alias fromUnixTimestamp64Milli(timestamp_ms, 'UTC'),
  index session_bloom session_id type bloom_filter(0.01) granularity 1,
  index error_fingerprint_bloom error_fingerprint type bloom_filter(0.01) granularity 1
)
engine = MergeTree
partition by toDate(received_at)
order by (org_id, mode, type, timestamp_ms, id)
ttl toDateTime(received_at) + toIntervalDay({retention_days})
settings ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000, fsync_after_insert = 1,
  fsync_part_directory = 1;
