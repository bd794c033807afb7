-- Single sign-on with OpenID Connect. The provider of an organization; that of the installation is in the settings.
create table sign_in_providers (
  org_id         uuid primary key references organizations (id) on delete cascade,
  issuer         text not null,
  client_id      text not null,
  -- The client secret.
  sealed         text not null,
  scopes         text not null,
  -- People with other addresses are refused; empty for no limit.
  email_domains  text[] not null,
  -- The claim with the groups of a person, and the roles of groups. Without a claim, roles are not changed.
  role_claim     text,
  roles          jsonb not null,
  -- The role of people without a group that has one; null refuses them.
  default_role   text check (default_role in ('owner', 'admin', 'member')),
  -- Whether every sign-in counts as one with a second factor.
  trusts_factor  boolean not null,
  -- The last successful test of these values.
  tested_at      timestamptz,
  updated_at     timestamptz not null
);

-- People at a provider. The organization is null for the provider of the installation.
create table user_identities (
  org_id     uuid references organizations (id) on delete cascade,
  issuer     text not null,
  subject    text not null,
  user_id    uuid not null references users (id) on delete cascade,
  created_at timestamptz not null,
  unique nulls not distinct (org_id, issuer, subject)
);

create index user_identities_user on user_identities (user_id);

-- Sign-ins that have been sent to a provider. Each is deleted by its use.
create table sign_in_flows (
  -- Of the secret in the cookie of the browser.
  token_hash  bytea primary key,
  org_id      uuid references organizations (id) on delete cascade,
  purpose     text not null check (purpose in ('sign_in', 'prove', 'test')),
  -- Who proves or tests; null for a sign-in, which does not know the user yet.
  user_id     uuid references users (id) on delete cascade,
  session_id  uuid references sessions (id) on delete cascade,
  -- The page to return to.
  next        text not null,
  -- Of the provider, so that a change meanwhile is noticed.
  provider_at timestamptz,
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);

-- For the sweep.
create index sign_in_flows_expiry on sign_in_flows (expires_at);

-- Domains of e-mail addresses that the operator has confirmed, for finding the provider of a person.
create table sign_in_domains (
  domain text primary key,
  org_id uuid not null references organizations (id) on delete cascade
);

create index sign_in_domains_org on sign_in_domains (org_id);

-- Which provider members have to use, and the owner who does not have to.
alter table organizations
  add column required_provider text check (required_provider in ('own', 'installation')),
  add column break_glass_user_id uuid;

-- Finds where a user who signs in otherwise is that owner.
create index organizations_break_glass on organizations (break_glass_user_id)
  where break_glass_user_id is not null;

-- The last sign-in at a provider in the session; null for other sessions. A session with an organization reaches
-- nothing else.
alter table sessions
  add column provider_at timestamptz,
  add column provider_org_id uuid,
  -- Sealed, because it identifies the person to the provider.
  add column sign_out_url text;
