-- Passkeys of users (WebAuthn). Only the public key is known here.
create table user_passkeys (
  -- As authenticators send it, in base64url.
  id           text primary key,
  user_id      uuid not null references users (id) on delete cascade,
  public_key   bytea not null,
  -- The last signature counter; 0 for authenticators without one.
  counter      bigint not null,
  transports   text[] not null,
  name         text not null,
  created_at   timestamptz not null,
  last_used_at timestamptz
);

-- Lists the passkeys of a user, and tells with each request of a member whether there is one.
create index user_passkeys_user on user_passkeys (user_id);

-- Challenges sent to browsers. Each is deleted by its use.
create table passkey_challenges (
  challenge  text primary key,
  -- Null for a sign-in, which does not know the user yet.
  user_id    uuid references users (id) on delete cascade,
  expires_at timestamptz not null
);

-- For the sweep.
create index passkey_challenges_expiry on passkey_challenges (expires_at);
