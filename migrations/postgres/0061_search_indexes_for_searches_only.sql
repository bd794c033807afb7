-- online: each statement runs by itself, and can run again
-- Before the first statistics of a table exist, look-ups by the whole name cost as much with the search indexes as with
-- their own, and then read all orders of the organization. They cannot use a partial index whose condition they do not
-- imply, so only the search, which states the condition, uses these.
create index concurrently if not exists orders_search_start
  on orders (org_id, mode, (lower(external_order_id) collate "C")) where length(external_order_id) > 0

create index concurrently if not exists orders_search_end
  on orders (org_id, mode, (reverse(lower(external_order_id)) collate "C")) where length(external_order_id) > 0

create index concurrently if not exists profiles_search_start
  on profiles (org_id, mode, (lower(external_id) collate "C")) where length(external_id) > 0

create index concurrently if not exists profiles_search_end
  on profiles (org_id, mode, (reverse(lower(external_id)) collate "C")) where length(external_id) > 0

drop index concurrently if exists orders_name_start

drop index concurrently if exists orders_name_end

drop index concurrently if exists profiles_name_start

drop index concurrently if exists profiles_name_end
