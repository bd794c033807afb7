-- Where an organization, or one of its members, is notified of something. A channel of a member has `user_id`: its
-- e-mail address is read from the directory when something is sent.
create table notification_channels (
  org_id        uuid not null,
  id            uuid not null,
  user_id       uuid,
  kind          text not null check (kind in ('email', 'slack', 'teams', 'pagerduty', 'webhook', 'push')),
  name          text not null,
  -- What may be shown: addresses, the host of a URL, an application.
  config        jsonb not null,
  -- The URL, the key, or the URL and the signing secret, as JSON. Null where the kind has no secret.
  sealed        text,
  per_hour_max  integer not null check (per_hour_max > 0),
  -- When the first message was accepted.
  verified_at   timestamptz,
  -- When the first message failed after the last one that was accepted, and why the last one failed.
  failing_since timestamptz,
  last_error    text,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  primary key (org_id, id)
) with (fillfactor = 80);
create unique index notification_channels_of_members on notification_channels (org_id, user_id)
  where user_id is not null;

-- Which channels are notified of what. The most specific route applies: that of a rule, that of a subject, and
-- otherwise the one without a subject. Routes of a member apply in addition.
create table notification_routes (
  org_id         uuid not null,
  id             uuid not null,
  user_id        uuid,
  subject        text,
  rule_id        uuid,
  channel_ids    uuid[] not null,
  min_severity   text not null check (min_severity in ('notice', 'warning', 'critical')),
  -- How often something that is not acknowledged is repeated; 0 never.
  repeat_minutes integer not null check (repeat_minutes >= 0),
  -- {from, until, time_zone}: messages that are not critical wait until it ends.
  quiet_hours    jsonb,
  muted_until    timestamptz,
  updated_at     timestamptz not null,
  primary key (org_id, id),
  check (rule_id is null or subject is not null)
);
create unique index notification_routes_once on notification_routes (org_id,
  coalesce(user_id, '00000000-0000-0000-0000-000000000000'), coalesce(subject, ''),
  coalesce(rule_id, '00000000-0000-0000-0000-000000000000'));

-- What happened, written with its cause. What lasts is resolved later; what happens once never is. `due_at` is
-- when messages about it are to be written: about its start, its end, or a repetition.
create table notifications (
  org_id          uuid not null,
  id              uuid not null,
  subject         text not null,
  key             text not null,
  severity        text not null check (severity in ('notice', 'warning', 'critical')),
  is_lasting      boolean not null,
  title           text not null,
  detail          text,
  -- Path below the pages of the organization.
  link            text not null,
  rule_id         uuid,
  started_at      timestamptz not null,
  resolved_at     timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by uuid,
  -- Channels that were notified of the start, so that they are notified of the end.
  told            uuid[] not null default '{}',
  due_at          timestamptz,
  primary key (org_id, id),
  check (is_lasting or resolved_at is null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- The same thing is not reported again while it lasts.
create unique index notifications_once on notifications (org_id, subject, key) where resolved_at is null;
create index notifications_due on notifications (due_at) where due_at is not null;
-- What lasts now: the number in the menu and the list of the page.
create index notifications_lasting on notifications (org_id, id) where is_lasting and resolved_at is null;
create index notifications_by_time on notifications (started_at);

-- One message on its way to one channel: what the history shows, and the queue. `due_at` is null when nothing
-- is left to be done. Messages of a channel are sent in the order of their ids; one that is held (`hold`) takes
-- in others for its channel until it is due, and stops none.
create table notification_messages (
  org_id          uuid not null,
  channel_id      uuid not null,
  id              uuid not null,
  subject         text not null,
  step            text not null check (step in ('started', 'repeated', 'resolved', 'test')),
  hold            text check (hold in ('grouping', 'limit', 'quiet_hours')),
  items           jsonb not null,
  status          text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  attempts        integer not null default 0,
  due_at          timestamptz,
  lease_id        uuid,
  leased_until    timestamptz,
  attempted_at    timestamptz,
  response_status integer,
  response_body   text,
  error           text,
  latency_ms      integer,
  created_at      timestamptz not null,
  primary key (org_id, channel_id, id),
  check ((due_at is null) = (status <> 'pending')),
  check ((lease_id is null) = (leased_until is null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index notification_messages_due on notification_messages (channel_id, due_at, id)
  where due_at is not null;
create index notification_messages_by_org on notification_messages (org_id, id);
create index notification_messages_by_time on notification_messages (created_at);

-- Up to where entries of the audit log have been read for notifications.
create table notification_progress (
  name  text primary key,
  until timestamptz not null
);
