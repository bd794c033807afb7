-- online
-- The triggers of mdm_devices wrote a table in the statement that read the changed rows. A server of Citus sends such a
-- statement on to the server of the table, which does not have the changed rows. Now one statement counts them, and
-- another one writes the counts.
create or replace function count_mdm_devices() returns trigger language plpgsql as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  changed json;
begin
  if tg_op = 'INSERT' then
    changed := (select json_agg(g) from (
      select org_id, state, management_mode, compliance_state, coalesce(group_id, nobody) as group_id,
        count(*) as devices from new_devices group by 1, 2, 3, 4, 5) g);
  elsif tg_op = 'DELETE' then
    changed := (select json_agg(g) from (
      select org_id, state, management_mode, compliance_state, coalesce(group_id, nobody) as group_id,
        -count(*) as devices from old_devices group by 1, 2, 3, 4, 5) g);
  else
    changed := (select json_agg(g) from (
      select org_id, state, management_mode, compliance_state, group_id, sum(n) as devices from (
        select org_id, state, management_mode, compliance_state,
          coalesce(group_id, nobody) as group_id, 1 as n from new_devices
        union all
        select org_id, state, management_mode, compliance_state,
          coalesce(group_id, nobody), -1 from old_devices
      ) c group by 1, 2, 3, 4, 5 having sum(n) <> 0) g);
  end if;
  if changed is not null then
    -- In the order of the key, so that no two statements wait for each other in a circle.
    insert into mdm_device_counts as c
    select * from json_to_recordset(changed) as g (org_id uuid, state text, management_mode text,
      compliance_state text, group_id uuid, devices bigint)
    order by 1, 2, 3, 4, 5
    on conflict (org_id, state, management_mode, compliance_state, group_id)
      do update set devices = c.devices + excluded.devices;
  end if;
  return null;
end
$$
