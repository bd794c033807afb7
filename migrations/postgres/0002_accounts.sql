create table organizations (
  id         uuid primary key,
  name       text not null,
  plan       text not null check (plan in ('free', 'starter', 'business')),
  created_at timestamptz not null default now()
);

create table users (
  id            uuid primary key,
  email         text not null,
  password_hash text not null,
  created_at    timestamptz not null default now()
);
create unique index users_email on users (lower(email));

create table memberships (
  org_id     uuid not null references organizations (id) on delete cascade,
  user_id    uuid not null references users (id) on delete cascade,
  role       text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null default now(),
  primary key (org_id, user_id)
);
create index memberships_by_user on memberships (user_id);

-- A session lasts from a sign-in to its end, by sign-out, expiry or theft; its refresh tokens end
-- with it. Whoever changes a session or its tokens holds the lock on its row.
create table sessions (
  id         uuid primary key,
  user_id    uuid not null references users (id) on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index sessions_by_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);

-- Refresh tokens rotate: each use replaces the token by a successor of the same session. Presenting
-- a token that was already used means that it was stolen, and ends the session.
create table refresh_tokens (
  token_hash bytea primary key,
  session_id uuid not null references sessions (id) on delete cascade,
  used_at    timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index refresh_tokens_by_session on refresh_tokens (session_id);
create index refresh_tokens_by_expiry on refresh_tokens (expires_at);

-- Only the SHA-256 of a key is kept; prefix and last characters are for display.
create table api_keys (
  id           uuid primary key,
  org_id       uuid not null references organizations (id) on delete cascade,
  type         text not null check (type in ('live_secret', 'test_secret', 'live_public', 'test_public')),
  key_hash     bytea not null unique,
  key_hint     text not null,
  created_at   timestamptz not null default now(),
  revoked_at   timestamptz,
  replaced_by  uuid references api_keys (id)
);
create index api_keys_by_org on api_keys (org_id, created_at);
