-- Rows with errors that wait to be grouped, which happens by organization. Their targets end with
-- _ungrouped, so that flushers of the previous version leave them alone.
create index analytics_spool_ungrouped on analytics_spool (org_id, id) where target like '%\_ungrouped';
