-- Apps of an organisation. Each belongs to one environment: a test app and a live app are two rows. A
-- deleted one stays as a row until what belongs to it has been swept.
create table applications (
  org_id      uuid not null,
  id          uuid primary key,
  type        text not null check (type in ('flutter')),
  environment text not null check (environment in ('live', 'test')),
  name        text not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  deleted_at  timestamptz
);
create index applications_by_org on applications (org_id, id) where deleted_at is null;
create index applications_deleted on applications (id) where deleted_at is not null;

-- What push needs to know of an app. Its id is used by trusted backends only.
create table push_configurations (
  application_id       uuid primary key,
  org_id               uuid not null,
  id                   uuid not null unique,
  android_package_name text,
  ios_bundle_id        text,
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  check (android_package_name is not null or ios_bundle_id is not null)
);

-- One per app and provider; another one overwrites it, under a new version. The key is sealed; the other
-- columns show which key it is. `paused_until`: the provider, or its failures, want no more until then.
create table push_credentials (
  application_id uuid not null,
  provider       text not null check (provider in ('fcm', 'apns')),
  org_id         uuid not null,
  version        uuid not null,
  sealed         text not null,
  -- `project_id`, `client_email`, `private_key_id`, or `team_id`, `key_id`; and `key_sha256`.
  shown          jsonb not null,
  status         text not null check (status in ('test_required', 'active', 'needs_attention')),
  error          text,
  stored_at      timestamptz not null,
  accepted_at    timestamptz,
  rejected_at    timestamptz,
  paused_until   timestamptz,
  -- Of pauses after each other without anything accepted between them.
  pauses         integer not null default 0,
  primary key (application_id, provider),
  check ((status = 'needs_attention') = (error is not null))
) with (fillfactor = 80);
create index push_credentials_attention on push_credentials (org_id)
  where status = 'needs_attention';

-- Signing keys of identity assertions, of the whole installation. Several at a time are normal: the newest
-- signs, and all verify.
create table push_identity_keys (
  id          uuid primary key,
  -- Sealed PKCS #8, and the public half as a JWK.
  private_key text not null,
  public_key  jsonb not null,
  created_at  timestamptz not null
);

-- Assertions that were used, each by one subscription, until they have expired.
create table push_identity_uses (
  jti             uuid primary key,
  subscription_id uuid not null,
  expires_at      timestamptz not null
);
create index push_identity_uses_expired on push_identity_uses (expires_at);

-- An app on a device. `external_user_id` comes from a verified assertion and from nowhere else. The token
-- is looked for by its hash, because an index cannot hold long ones; a token that another subscription
-- took over leaves null.
create table push_subscriptions (
  application_id      uuid not null,
  id                  uuid not null,
  org_id              uuid not null,
  provider            text not null check (provider in ('fcm', 'apns')),
  token               text,
  token_hash          uuid,
  -- When the app last said that the token is good: what APNs says of an earlier time counts no more.
  token_registered_at timestamptz not null,
  external_user_id    text,
  identified_at       timestamptz,
  permission          text not null check (permission in ('granted', 'provisional', 'denied')),
  invalidated_at      timestamptz,
  invalid_reason      text,
  locale              text,
  app_version         text,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  primary key (application_id, id),
  check ((token is null) = (token_hash is null)),
  check (token is not null or invalidated_at is not null),
  check ((invalidated_at is null) = (invalid_reason is null))
) with (fillfactor = 90);
create unique index push_subscriptions_token
  on push_subscriptions (application_id, provider, token_hash) where token_hash is not null;
create index push_subscriptions_reachable on push_subscriptions (application_id, provider, id)
  where permission <> 'denied' and invalidated_at is null;
create index push_subscriptions_by_user
  on push_subscriptions (application_id, external_user_id, id) where external_user_id is not null;
create index push_subscriptions_invalidated on push_subscriptions (invalidated_at)
  where invalidated_at is not null;

-- `expand_at` is when recipients are to be made of the target, null when there is nothing (more) to do;
-- `expanded_provider` and `expanded_after` say how far that went, and are written with the recipients.
create table push_messages (
  id                uuid primary key,
  org_id            uuid not null,
  application_id    uuid not null,
  target            text not null check (target in ('all', 'external_user_ids', 'subscription_ids')),
  target_ids        text[] not null,
  -- title, body, data, image, deep_link, ttl_seconds, collapse_key, priority, badge, sound, channel_id
  content           jsonb not null,
  status            text not null check (status in
    ('scheduled', 'queued', 'sending', 'sent', 'partially_failed', 'failed', 'cancelled')),
  send_at           timestamptz not null,
  -- What was not accepted by then has failed.
  give_up_at        timestamptz not null,
  expand_at         timestamptz,
  expanded_provider text check (expanded_provider in ('fcm', 'apns')),
  expanded_after    uuid,
  targeted          integer not null,
  recipients        integer not null default 0,
  accepted          integer not null default 0,
  failed            integer not null default 0,
  received          integer not null default 0,
  clicked           integer not null default 0,
  created_at        timestamptz not null,
  completed_at      timestamptz,
  check ((status in ('sent', 'partially_failed', 'failed', 'cancelled')) = (completed_at is not null)),
  check (expand_at is null or status in ('scheduled', 'queued', 'sending'))
) with (fillfactor = 70);
create index push_messages_by_application on push_messages (application_id, id desc);
create index push_messages_to_expand on push_messages (expand_at) where expand_at is not null;
create index push_messages_unfinished on push_messages (give_up_at) where completed_at is null;
create index push_messages_by_time on push_messages (created_at);

-- The first answer under a key; the same request gets it again.
create table push_idempotency_keys (
  org_id      uuid not null,
  mode        text not null check (mode in ('live', 'test')),
  key         text not null,
  fingerprint bytea not null,
  message_id  uuid not null,
  answer      jsonb not null,
  created_at  timestamptz not null,
  primary key (org_id, mode, key)
);
create index push_idempotency_keys_by_time on push_idempotency_keys (created_at);

-- What became of a message for one subscription. No column that changes is in an index, so that an outcome
-- is written in place: pages keep room for the outcomes of all that they hold, each more than twice as long
-- as what it replaces. `due_at`: not before then again.
create table push_recipients (
  message_id      uuid not null,
  provider        text not null check (provider in ('fcm', 'apns')),
  subscription_id uuid not null,
  status          text not null default 'pending' check (status in ('pending', 'accepted', 'failed')),
  attempts        smallint not null default 0,
  -- An attempt ended without an answer: the provider may have it already.
  is_unsure       boolean not null default false,
  due_at          timestamptz,
  reason          text,
  provider_id     text,
  settled_at      timestamptz,
  received_at     timestamptz,
  clicked_at      timestamptz,
  primary key (message_id, provider, subscription_id)
) with (fillfactor = 35, autovacuum_vacuum_scale_factor = 0.02);

-- Recipients that are sent together: those of a message and provider between two subscriptions. A batch is
-- deleted when none of them is pending. Leases are in no index, so that taking one rewrites none.
create table push_batches (
  application_id uuid not null,
  provider       text not null check (provider in ('fcm', 'apns')),
  message_id     uuid not null,
  first_id       uuid not null,
  last_id        uuid not null,
  -- To all subscribers; those to few go first.
  is_broadcast   boolean not null,
  recipients     integer not null,
  due_at         timestamptz not null,
  lease_id       uuid,
  leased_until   timestamptz,
  primary key (message_id, provider, first_id),
  check ((lease_id is null) = (leased_until is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index push_batches_due on push_batches (application_id, provider, is_broadcast, due_at);
