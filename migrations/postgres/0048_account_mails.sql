-- E-mails about accounts, committed with their cause. A mail that was accepted, or given up, is deleted. No row contains
-- the token of its link, which is computed from the id with a secret of the installation.
create table account_mails (
  id           uuid primary key,
  kind         text not null,
  recipient    text not null,
  -- What the texts name.
  details      jsonb not null,
  -- What the mail is about, which deletes it: an invitation or a user.
  subject_id   uuid,
  due_at       timestamptz not null default now(),
  attempts     integer not null default 0,
  lease_id     uuid,
  leased_until timestamptz,
  -- It is not sent later.
  expires_at   timestamptz not null
);
create index account_mails_by_due on account_mails (due_at);
create index account_mails_by_subject on account_mails (subject_id);

-- Links that replace a password, once. Only the SHA-256 of a token is stored.
create table password_resets (
  token_hash bytea primary key,
  user_id    uuid not null references users (id) on delete cascade,
  -- Of a link that an admin was shown: it works while the user belongs to this organization only. Null for mails.
  org_id     uuid references organizations (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index password_resets_by_user on password_resets (user_id);
create index password_resets_by_expiry on password_resets (expires_at);

-- Addresses that users want to have, until both addresses have confirmed it.
create table email_changes (
  user_id          uuid primary key references users (id) on delete cascade,
  email            text not null,
  old_token_hash   bytea not null unique,
  new_token_hash   bytea not null unique,
  old_confirmed_at timestamptz,
  new_confirmed_at timestamptz,
  created_at       timestamptz not null,
  expires_at       timestamptz not null
);

-- The link of such an invitation was sent to its address and shown to no one, so it proves the address.
alter table invitations add column is_mailed boolean not null default false;
