-- The only organization that a session may be used for, of programs that were approved for one; null for all.
alter table sessions add column org_id uuid references organizations (id) on delete cascade;
create index sessions_by_organization on sessions (org_id) where org_id is not null;

-- Programs that wait for the approval of a user (RFC 8628). Only the SHA-256 of both codes is stored.
create table device_sign_ins (
  device_hash bytea primary key,
  user_hash   bytea not null unique,
  program     text not null,
  address     text not null,
  -- Of the approval.
  user_id     uuid references users (id) on delete cascade,
  org_id      uuid references organizations (id) on delete cascade,
  days        integer,
  is_proved   boolean not null default false,
  -- Of the session that approved it, if it came from a provider.
  provider_at timestamptz,
  provider_org_id uuid references organizations (id) on delete cascade,
  is_denied   boolean not null default false,
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);
create index device_sign_ins_by_expiry on device_sign_ins (expires_at);
