-- The share of each organization in the spool is read from the index alone, every second or less often.
drop index analytics_spool_waiting;
create index analytics_spool_waiting on analytics_spool (target, id)
  include (org_id, entries, bytes, created_at) where flush_id is null;
