-- Logs of edge devices. Partitions follow the day of receipt, by our clock: devices may think that it is
-- 1970 or 2099, and a batch whose rows went to a hundred partitions would be refused. The time that a
-- device tells is milliseconds in an Int64, which holds any date. Empty texts stand for members that
-- were not sent.
--
-- The roll-ups are projections: they are parts of the parts themselves, so that they arrive, merge and
-- leave together with the rows that they count, and cannot differ from them, whatever is killed when.
create table if not exists edge_logs (
  org_id            UUID,
  mode              Enum8('live' = 1, 'test' = 2),
  id                UUID,
  received_at       DateTime64(3, 'UTC') codec(Delta(8), ZSTD(1)),
  timestamp_ms      Int64 codec(Delta(8), ZSTD(1)),
  device_id         String codec(ZSTD(1)),
  level             Enum8('debug' = 1, 'info' = 2, 'warn' = 3, 'error' = 4, 'fatal' = 5),
  category          LowCardinality(String),
  environment       LowCardinality(String),
  message           String codec(ZSTD(1)),
  error_type        String codec(ZSTD(1)),
  error_code        String codec(ZSTD(1)),
  error_stack       String codec(ZSTD(1)),
  error_fingerprint String codec(ZSTD(1)),
  data              String codec(ZSTD(1)),
  tags              Array(String) codec(ZSTD(1)),
  trace_id          String codec(ZSTD(1)),
  span_id           String codec(ZSTD(1)),
  time              DateTime64(3, 'UTC') alias fromUnixTimestamp64Milli(timestamp_ms, 'UTC'),
  index message_words message type text(tokenizer = splitByNonAlpha, preprocessor = lower(message)),
  index error_fingerprint_bloom error_fingerprint type bloom_filter(0.01) granularity 1,
  index device_bloom device_id type bloom_filter(0.01) granularity 1,
  projection log_hours (
    select org_id, mode, toDate(received_at), intDiv(timestamp_ms, 3600000), level, category, environment,
      device_id, count()
    group by org_id, mode, toDate(received_at), intDiv(timestamp_ms, 3600000), level, category, environment,
      device_id
  ),
  projection error_hours (
    select org_id, mode, toDate(received_at), intDiv(timestamp_ms, 3600000), error_fingerprint, count(),
      min(timestamp_ms), max(timestamp_ms), uniqExact(device_id), groupUniqArray(environment),
      argMax(message, timestamp_ms), argMax(error_type, timestamp_ms)
    group by org_id, mode, toDate(received_at), intDiv(timestamp_ms, 3600000), error_fingerprint
  )
)
engine = MergeTree
partition by toDate(received_at)
order by (org_id, mode, timestamp_ms, id)
ttl toDateTime(received_at) + toIntervalDay({retention_days})
settings ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000, fsync_after_insert = 1,
  fsync_part_directory = 1;
