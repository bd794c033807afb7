-- online: the statement runs by itself, and can run again
-- Finds expired deliveries in the first partition of the table, into which the next migration turns it.
create index concurrently if not exists webhook_deliveries_by_age on webhook_deliveries using brin (id)
