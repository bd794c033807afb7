-- The authenticator app of a user. It counts from its confirmation, which proves that the app has the secret.
create table user_second_factors (
  user_id        uuid primary key references users (id) on delete cascade,
  -- Sealed.
  secret         text not null,
  confirmed_at   timestamptz,
  -- The last period of 30 seconds with an accepted code, so that no code works twice.
  last_step      bigint not null default 0,
  -- Wrong codes since that time.
  failures       integer not null default 0,
  failures_since timestamptz,
  created_at     timestamptz not null
);

-- Only the SHA-256 of a code is stored. A used code is deleted.
create table user_recovery_codes (
  user_id   uuid not null references users (id) on delete cascade,
  code_hash bytea not null,
  primary key (user_id, code_hash)
);
