-- Keys that encrypt the secrets at rest. Each is itself encrypted by the master key, so that
-- changing the master key rewrites these few rows and none of the secrets.
create table data_keys (
  id            uuid primary key,
  master_key_id text not null,
  wrapped_key   bytea not null,
  created_at    timestamptz not null default now()
);

-- Secrets of the installation itself (signing key of access tokens, pepper of hashed identities).
create table installation_secrets (
  name       text primary key,
  sealed     text not null,
  created_at timestamptz not null default now()
);

-- The outbox: one row per event, written in the transaction that caused it. The body is frozen as
-- text, because receivers verify a signature over exactly these bytes.
create table events (
  id          uuid primary key,
  org_id      uuid not null,
  mode        text not null check (mode in ('live', 'test')),
  type        text not null,
  body        text not null,
  occurred_at timestamptz not null
);
create index events_by_time on events (occurred_at);
