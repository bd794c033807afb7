-- The Google Cloud project that devices are managed through; one row at the most. The key of its
-- service account is sealed.
create table mdm_connection (
  id             boolean primary key default true check (id),
  project_id     text not null,
  client_email   text not null,
  private_key_id text not null,
  private_key    text not null,
  connected_at   timestamptz not null
);

-- Requests that were made to the provider, of all processes together, in windows of a few seconds.
create table mdm_request_counts (
  class      text not null,
  started_at timestamptz not null,
  requests   integer not null,
  primary key (class, started_at)
);
-- Until when the provider asked for no more requests of a class.
create table mdm_request_pauses (
  class        text primary key,
  paused_until timestamptz not null
);

-- Sign-ups under way: a name that the provider gave to one organisation is of no use to another.
create table mdm_signups (
  org_id     uuid not null,
  name       text not null,
  created_at timestamptz not null,
  -- While an enterprise is being made of it: of two requests at once, one asks the provider.
  leased_until timestamptz,
  primary key (org_id, name)
);

create index mdm_signups_by_time on mdm_signups (created_at);

create table mdm_enterprises (
  org_id       uuid primary key,
  -- `enterprises/LC…`
  name         text not null unique,
  project_id   text not null,
  display_name text not null,
  created_at   timestamptz not null,
  -- Reading all devices again: when next, who does, and where it is in the listing.
  listing_due_at    timestamptz not null,
  listing_leased_until timestamptz,
  listing_lease_id  uuid,
  -- Since when a listing is without so many devices that one more has to say so.
  mass_missing_since timestamptz
);
create index mdm_enterprises_listing_due on mdm_enterprises (listing_due_at);

create table mdm_policies (
  org_id            uuid not null,
  id                uuid not null,
  name              text not null,
  description       text not null,
  management_mode   text not null check (management_mode in ('fully_managed', 'work_profile')),
  policy_json       jsonb not null,
  -- Ours, from 1; which of them the provider has, under which number of its own, or why it has not.
  version           integer not null,
  published_version integer,
  provider_version  bigint,
  publish_error     text,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  primary key (org_id, id)
);
create table mdm_policy_versions (
  org_id          uuid not null,
  policy_id       uuid not null,
  version         integer not null,
  policy_json     jsonb not null,
  created_by      uuid,
  created_at      timestamptz not null,
  primary key (org_id, policy_id, version)
);

create table mdm_groups (
  org_id     uuid not null,
  id         uuid not null,
  name       text not null,
  policy_id  uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);

create table mdm_enrollment_tokens (
  org_id          uuid not null,
  id              uuid not null,
  policy_id       uuid not null,
  management_mode text not null check (management_mode in ('fully_managed', 'work_profile')),
  provider_name   text not null,
  duration_hours  double precision not null,
  one_time        boolean not null,
  -- Sealed: whoever has them can enrol a device.
  token_value     text not null,
  qr_content      text not null,
  expires_at      timestamptz not null,
  created_by      uuid,
  created_at      timestamptz not null,
  primary key (org_id, id)
);

create index mdm_enrollment_tokens_by_expiry on mdm_enrollment_tokens (expires_at);

create table mdm_devices (
  org_id            uuid not null,
  id                uuid not null,
  -- `enterprises/…/devices/…`; another one after a phone was reset and enrolled again.
  provider_name     text not null,
  state             text not null check (state in ('active', 'disabled', 'deleted', 'provisioning',
    'lost', 'preparing_for_migration', 'deactivated_by_device_finance')),
  management_mode   text not null check (management_mode in ('fully_managed', 'work_profile')),
  -- As the provider reports it, and as the customer calls it.
  ownership         text not null check (ownership in ('company_owned', 'personally_owned')),
  ownership_type    text not null check (ownership_type in ('company_owned', 'personally_owned')),
  name              text,
  assigned_user_id  text,
  custom_attributes jsonb not null default '{}',
  group_id          uuid,
  -- That it enrolled with, and that it should have now; null when it came by none of ours.
  enrolled_policy_id  uuid,
  policy_id           uuid,
  enrollment_token_id uuid,
  -- What is on the device, by the provider's number of its version, and why `policy_id` cannot be.
  applied_policy_id uuid,
  applied_policy_version bigint,
  policy_error      text,
  compliance_state  text not null check (compliance_state in
    ('compliant', 'grace_period', 'non_compliant', 'unknown')),
  non_compliance_details jsonb not null default '[]',
  -- When each detail was first seen, by setting, package and path.
  first_seen        jsonb not null default '{}',
  policy_compliant  boolean,
  grace_period_expires_at timestamptz,
  -- When the state has to be derived again though nothing is reported.
  compliance_due_at timestamptz,
  brand             text,
  manufacturer      text,
  model             text,
  serial_number     text,
  -- Of the device in this enterprise, the same after a reset.
  enterprise_specific_id text,
  os_version        text,
  security_patch_level text,
  api_level         integer,
  enrolled_at       timestamptz not null,
  last_report_at    timestamptz,
  deletion_requested_at timestamptz,
  deleted_at        timestamptz,
  -- How it went: the provider confirmed it, it was reported, or it was missing from whole listings.
  deleted_by        text check (deleted_by in ('request', 'report', 'listing')),
  missing_since     timestamptz,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  -- With what lists filter by, so that a page deep in a large fleet is found in the index alone.
  primary key (org_id, id) include (state, management_mode, compliance_state, group_id),
  unique (org_id, provider_name),
  check ((compliance_state = 'grace_period') = (grace_period_expires_at is not null)),
  check ((state = 'deleted') = (deleted_at is not null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index mdm_devices_compliance_due on mdm_devices (compliance_due_at)
  where compliance_due_at is not null;
create index mdm_devices_by_end on mdm_devices (deleted_at) where deleted_at is not null;
create index mdm_devices_by_serial on mdm_devices (org_id, serial_number)
  where serial_number is not null;
create index mdm_devices_by_specific_id on mdm_devices (org_id, enterprise_specific_id)
  where enterprise_specific_id is not null;
create index mdm_devices_by_policy on mdm_devices (org_id, policy_id) where state <> 'deleted';
-- Lists again, where few devices fit: all that do, in the index alone.
create index mdm_devices_by_kind
  on mdm_devices (org_id, state, management_mode, compliance_state, id);
create index mdm_devices_by_group
  on mdm_devices (org_id, group_id, state, management_mode, compliance_state, id)
  where group_id is not null;

-- Names that devices had before they were enrolled again, or of which nothing was known but their end:
-- reports under them are late.
create table mdm_former_names (
  org_id        uuid not null,
  provider_name text not null,
  created_at    timestamptz not null,
  primary key (org_id, provider_name)
);
create index mdm_former_names_by_time on mdm_former_names (created_at);

create table mdm_group_commands (
  org_id     uuid not null,
  id         uuid not null,
  group_id   uuid not null,
  type       text not null,
  -- Devices that it was made for, and members that such a command cannot be sent to.
  total      integer not null,
  skipped    integer not null,
  created_by uuid,
  created_at timestamptz not null,
  primary key (org_id, id)
);
create index mdm_group_commands_by_group
  on mdm_group_commands (org_id, group_id, created_at, id);

create table mdm_commands (
  org_id           uuid not null,
  id               uuid not null,
  device_id        uuid not null,
  group_command_id uuid,
  type             text not null check (type in
    ('LOCK', 'REBOOT', 'RESET_PASSWORD', 'RELINQUISH_OWNERSHIP', 'CLEAR_APP_DATA', 'WIPE')),
  -- What the provider needs with it, but for the password.
  parameters       jsonb not null default '{}',
  -- Sealed, and gone as soon as the provider has it or never will.
  new_password     text,
  status           text not null check (status in
    ('queued', 'sent', 'acknowledged', 'failed', 'expired', 'cancelled')),
  error            text,
  operation_name   text,
  -- When an attempt began whose outcome was not learnt: the provider may have it.
  unsure_since     timestamptz,
  expires_at       timestamptz not null,
  check_due_at     timestamptz,
  created_by       uuid,
  created_at       timestamptz not null,
  sent_at          timestamptz,
  completed_at     timestamptz,
  primary key (org_id, id),
  check ((completed_at is not null) = (status in ('acknowledged', 'failed', 'expired', 'cancelled'))),
  check ((operation_name is null) or (sent_at is not null))
) with (fillfactor = 80);
create index mdm_commands_by_device on mdm_commands (org_id, device_id, id);
-- Whose turn it is on a device, however many it has had.
create index mdm_commands_unfinished on mdm_commands (org_id, device_id, id)
  where completed_at is null;
create unique index mdm_commands_by_operation on mdm_commands (org_id, operation_name)
  where operation_name is not null;
create index mdm_commands_by_group_command on mdm_commands (org_id, group_command_id, status)
  where group_command_id is not null;
create index mdm_commands_by_end on mdm_commands (completed_at) where completed_at is not null;
create index mdm_commands_check_due on mdm_commands (status, check_due_at)
  where check_due_at is not null;

-- Everything that has to be brought to the provider: one row per subject and kind. What is sent is
-- read when it is sent, so that a subject that changes meanwhile needs no second row.
create table mdm_dispatches (
  org_id       uuid not null,
  kind         text not null check (kind in
    ('publish_policy', 'assign_policy', 'delete_device', 'issue_command')),
  subject_id   uuid not null,
  -- Grows when the subject changes once more; only what is as it was when it was claimed is done.
  revision     integer not null default 1,
  attempts     integer not null default 0,
  due_at       timestamptz not null,
  lease_id     uuid,
  leased_until timestamptz,
  error        text,
  created_at   timestamptz not null,
  primary key (org_id, kind, subject_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index mdm_dispatches_due on mdm_dispatches (kind, org_id, due_at);

-- Notifications that were applied, until the provider can no longer repeat them.
create table mdm_notifications (
  message_id  text primary key,
  received_at timestamptz not null
);
create index mdm_notifications_by_time on mdm_notifications (received_at);

-- Every administrative and system action. Rows are added and never changed or deleted.
create table mdm_audit_log (
  org_id      uuid not null,
  id          uuid not null,
  action      text not null,
  actor_type  text not null check (actor_type in ('user', 'system', 'provider')),
  actor_id    uuid,
  target_type text not null,
  target_id   text,
  -- The device that it concerns, whatever the target: entries of a device are its timeline.
  device_id   uuid,
  before      jsonb,
  after       jsonb,
  created_at  timestamptz not null,
  primary key (org_id, id)
);
create index mdm_audit_log_by_action on mdm_audit_log (org_id, action, id);
create index mdm_audit_log_by_device on mdm_audit_log (org_id, device_id, id)
  where device_id is not null;

create trigger mdm_audit_log_append_only
  before update or delete or truncate on mdm_audit_log
  for each statement execute function refuse_change();

-- How many entries there are of each action and day (UTC): lists of millions of entries would
-- otherwise count them all, and pass over them one by one. Several rows count the same, because one
-- would make transactions wait for each other: each takes one that nobody is at, or adds one.
create table mdm_audit_counts (
  org_id  uuid not null,
  day     date not null,
  action  text not null,
  place   integer not null,
  entries bigint not null,
  primary key (org_id, day, action, place)
) with (fillfactor = 50);
create function count_mdm_audit_entries() returns trigger language plpgsql as $$
declare
  added record;
  free  integer;
begin
  for added in
    select org_id, (created_at at time zone 'UTC')::date as day, action, count(*) as entries
    from new_entries group by 1, 2, 3
  loop
    select c.place into free from mdm_audit_counts c
      where c.org_id = added.org_id and c.day = added.day and c.action = added.action
      limit 1 for update skip locked;
    insert into mdm_audit_counts as c (org_id, day, action, place, entries)
    values (added.org_id, added.day, added.action,
      coalesce(free, floor(random() * 2147483647)::integer), added.entries)
    on conflict (org_id, day, action, place) do update set entries = c.entries + excluded.entries;
  end loop;
  return null;
end
$$;
create trigger mdm_audit_entries_are_counted after insert on mdm_audit_log
  referencing new table as new_entries
  for each statement execute function count_mdm_audit_entries();

-- How many devices there are of each kind: lists and overviews of large fleets would otherwise count
-- them all every time. Kept by the triggers below, whoever writes devices.
create table mdm_device_counts (
  org_id           uuid not null,
  state            text not null,
  management_mode  text not null,
  compliance_state text not null,
  -- The nil UUID where there is no group.
  group_id         uuid not null,
  devices          bigint not null,
  primary key (org_id, state, management_mode, compliance_state, group_id)
);
create function count_mdm_devices() returns trigger language plpgsql as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
begin
  -- In the order of the key, so that no two statements wait for each other in a circle.
  if tg_op = 'INSERT' then
    insert into mdm_device_counts as c
    select org_id, state, management_mode, compliance_state, coalesce(group_id, nobody), count(*)
    from new_devices group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (org_id, state, management_mode, compliance_state, group_id)
      do update set devices = c.devices + excluded.devices;
  elsif tg_op = 'DELETE' then
    insert into mdm_device_counts as c
    select org_id, state, management_mode, compliance_state, coalesce(group_id, nobody), -count(*)
    from old_devices group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (org_id, state, management_mode, compliance_state, group_id)
      do update set devices = c.devices + excluded.devices;
  else
    insert into mdm_device_counts as c
    select org_id, state, management_mode, compliance_state, group_id, sum(n) from (
      select org_id, state, management_mode, compliance_state,
        coalesce(group_id, nobody) as group_id, 1 as n from new_devices
      union all
      select org_id, state, management_mode, compliance_state,
        coalesce(group_id, nobody), -1 from old_devices
    ) changed
    group by 1, 2, 3, 4, 5 having sum(n) <> 0 order by 1, 2, 3, 4, 5
    on conflict (org_id, state, management_mode, compliance_state, group_id)
      do update set devices = c.devices + excluded.devices;
  end if;
  return null;
end
$$;
create trigger mdm_devices_are_counted_when_made after insert on mdm_devices
  referencing new table as new_devices
  for each statement execute function count_mdm_devices();
create trigger mdm_devices_are_counted_when_gone after delete on mdm_devices
  referencing old table as old_devices
  for each statement execute function count_mdm_devices();
create trigger mdm_devices_are_counted_when_changed after update on mdm_devices
  referencing old table as old_devices new table as new_devices
  for each statement execute function count_mdm_devices();
