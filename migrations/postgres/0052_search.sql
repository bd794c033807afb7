-- online: each statement runs by itself, and can run again
-- The starts and the ends of names, for the search of the console. The collation "C" compares texts by characters,
-- so that a range of texts has all with one start in each database. What is sent with a check may be longer than
-- an entry of an index. The mode comes last in the indexes of orders and profiles: before the first statistics of a
-- table exist, the planner looked one order up by them, and read all orders of the organization, when it came second.
create index concurrently if not exists orders_name_start
  on orders (org_id, (lower(external_order_id) collate "C"), mode)

create index concurrently if not exists orders_name_end
  on orders (org_id, (reverse(lower(external_order_id)) collate "C"), mode)

create index concurrently if not exists profiles_name_start
  on profiles (org_id, (lower(external_id) collate "C"), mode)

create index concurrently if not exists profiles_name_end
  on profiles (org_id, (reverse(lower(external_id)) collate "C"), mode)

create index concurrently if not exists checks_email_start
  on checks (org_id, mode, (lower(left(result ->> 'email', 254)) collate "C"))
  where result ->> 'email' is not null

create index concurrently if not exists checks_phone_end
  on checks (org_id, mode, (reverse(regexp_replace(left(request ->> 'phone', 40), '[^0-9]', '', 'g')) collate "C"))
  where request ->> 'phone' is not null
