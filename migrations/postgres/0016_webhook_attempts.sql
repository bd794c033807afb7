-- Attempts that failed, oldest first, at most fifty: {at, response_status, error, latency_ms}. What
-- goes well the first time leaves none, so the usual delivery is written as before.
alter table webhook_deliveries add column failed_attempts jsonb;
