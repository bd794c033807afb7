-- Deliveries of one statement become due at the same instant. The first few of an endpoint are those
-- that may be under way: which they are must not depend on where their rows happen to lie.
drop index webhook_deliveries_due;
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, id)
  where due_at is not null;
