-- The priced things of a transaction, an organization, a mode and a meter share a row: these are the
-- checks or orders that it prices. Null in rows of one thing, which is `source_id`.
alter table usage_events add column source_ids uuid[];

-- Ids of events grow with time, so the retention finds old ones by the primary key.
drop index events_by_time;
