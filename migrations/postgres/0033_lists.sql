-- Identities that an organization allows, blocks or watches. `key_hash` is a keyed hash of the value. `shown` is
-- the value itself where other tables store it as text, and otherwise a masked form.
create table list_entries (
  org_id     uuid not null,
  mode       text not null check (mode in ('live', 'test')),
  id         uuid not null,
  list       text not null check (list in ('allow', 'block', 'watch')),
  kind       text not null,
  key_hash   uuid not null,
  shown      text not null,
  reason     text,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (org_id, id),
  -- An upsert finds the entry of an identity; processes read all entries of an organization and mode.
  unique (org_id, mode, list, kind, key_hash)
);
-- Expired entries of all organizations, for retention.
create index list_entries_by_expiry on list_entries (expires_at) where expires_at is not null;

-- Grows with every change of the entries, so that processes read them again only when they changed. An
-- organization without entries has no row.
create table list_versions (
  org_id  uuid not null,
  mode    text not null check (mode in ('live', 'test')),
  version bigint not null,
  primary key (org_id, mode)
);
