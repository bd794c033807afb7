-- Providers end sessions here (OpenID Connect Back-Channel Logout). The session there, hashed with its issuer; null where
-- the provider names none.
alter table sessions add column provider_sid_hash bytea;

create index sessions_provider_sid on sessions (provider_sid_hash) where provider_sid_hash is not null;

-- Tokens with which providers have ended sessions, each of which is accepted once.
create table sign_in_logout_tokens (
  token_hash bytea primary key,
  expires_at timestamptz not null
);

-- For the sweep.
create index sign_in_logout_tokens_expiry on sign_in_logout_tokens (expires_at);
