-- Logs of edge devices. Partitions follow the day of receipt, by our clock: devices may think that it is
-- 1970 or 2099, and a batch whose rows went to a hundred partitions would be refused. The time that a
-- device tells is milliseconds in an Int64, which holds any date. Empty texts stand for members that
-- were not sent.
--
-- The roll-ups are projections: they are parts of the parts themselves, so that they arrive, merge and
-- leave together with the rows that they count, and cannot differ from them, whatever is killed when.
-- They count by the hour in which things happened, and hours are the way to everything: a page of the
-- list is found by counting hours, and then only the rows of its hours are read. So the hour is in the
-- key, and the granules are small: rows of a page may be far apart. That of devices is one of its own,
-- because with them there are hardly fewer counts than logs.
create table if not exists edge_logs (
  org_id            UUID,
  mode              Enum8('live' = 1, 'test' = 2),
  id                UUID,
  received_at       DateTime64(3, 'UTC') codec(Delta(8), ZSTD(1)),
  received_on       Date default toDate(received_at),
  timestamp_ms      Int64 codec(Delta(8), ZSTD(1)),
  hour_ms           Int64 default timestamp_ms - positiveModulo(timestamp_ms, 3600000),
  device_id         LowCardinality(String),
  level             Enum8('debug' = 1, 'info' = 2, 'warn' = 3, 'error' = 4, 'fatal' = 5),
  category          LowCardinality(String),
  environment       LowCardinality(String),
  message           String codec(ZSTD(1)),
  -- What the search reads instead of a message that is not plain ASCII; empty for the others.
  words             String codec(ZSTD(1)),
  error_type        LowCardinality(String),
  error_code        LowCardinality(String),
  error_stack       String codec(ZSTD(1)),
  error_fingerprint LowCardinality(String),
  data              String codec(ZSTD(1)),
  tags              Array(String) codec(ZSTD(1)),
  trace_id          String codec(ZSTD(1)),
  span_id           String codec(ZSTD(1)),
  time              DateTime64(3, 'UTC') alias fromUnixTimestamp64Milli(timestamp_ms, 'UTC'),
  -- Not as a preprocessor of the index: the engine forgets it when it reads without the index.
  index message_words (lower(if(empty(words), message, words))) type text(tokenizer = splitByNonAlpha),
  projection log_hours (
    select org_id, mode, received_on, hour_ms, level, category, environment, count()
    group by org_id, mode, received_on, hour_ms, level, category, environment
  ),
  projection device_hours (
    select org_id, mode, received_on, device_id, hour_ms, level, count()
    group by org_id, mode, received_on, device_id, hour_ms, level
  ),
  projection error_hours (
    select org_id, mode, received_on, hour_ms, error_fingerprint, error_type, count(),
      minState(timestamp_ms), maxState(timestamp_ms),
      uniqExactStateIf(device_id, error_fingerprint != ''),
      groupUniqArrayStateIf(environment, error_fingerprint != ''),
      argMaxStateIf((leftUTF8(message, 1000), error_type), (timestamp_ms, id), error_fingerprint != '')
    group by org_id, mode, received_on, hour_ms, error_fingerprint, error_type
  )
)
engine = MergeTree
partition by received_on
order by (org_id, mode, hour_ms, timestamp_ms, id)
ttl toDateTime(received_at) + toIntervalDay({retention_days})
settings index_granularity = 2048, ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000,
  fsync_after_insert = 1, fsync_part_directory = 1;
