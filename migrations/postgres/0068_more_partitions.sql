-- online: each statement runs by itself, and can run again
-- Usage, checks and push recipients become partitions (docs/decisions/0055), here if they are small, otherwise by a job.
select divide_small_table('usage_events', 'month')

select divide_small_table('checks', 'month')

select divide_small_table('push_recipients', 'week', 'message_id')
