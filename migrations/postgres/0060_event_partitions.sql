-- online: each statement runs by itself, and can run again
-- Events and their deliveries become partitions of a week (0058_audit_partitions.sql).
select bound_first_partition('events', 'week')

select verify_first_partition('events')

select attach_first_partition('events', 'week')

select bound_first_partition('webhook_deliveries', 'week')

select verify_first_partition('webhook_deliveries')

select attach_first_partition('webhook_deliveries', 'week')
