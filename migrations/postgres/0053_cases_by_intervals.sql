-- Citus refuses an update that calls a function of a column, if its result depends on the time zone, which the sum of a
-- time and an interval may. The difference of two times does not.
create or replace function join_case(
  of_org uuid, of_mode text, new_id uuid, at timestamptz, causes text[], of_customer text, of_country text,
  of_currency text, window_days integer
) returns uuid language plpgsql as $$
declare
  one text;
  joined uuid;
begin
  foreach one in array causes loop
    update cases c set last_at = greatest(c.last_at, at), first_at = least(c.first_at, at)
    where c.org_id = of_org and c.mode = of_mode and c.cause = one and c.is_joinable and c.closed_at is null
      and c.first_at - at <= make_interval(days => window_days)
      and at - c.last_at <= make_interval(days => window_days)
    returning c.id into joined;
    if joined is not null then
      return joined;
    end if;
  end loop;
  update cases c set is_joinable = false
  where c.org_id = of_org and c.mode = of_mode and c.cause = causes[1] and c.is_joinable;
  insert into cases as c (org_id, id, mode, cause, first_at, last_at, customer, country, currency)
  values (of_org, new_id, of_mode, causes[1], at, at, of_customer, of_country, of_currency)
  on conflict (org_id, mode, cause) where is_joinable
    do update set last_at = greatest(c.last_at, at)
  returning c.id into joined;
  return joined;
end
$$;
