-- What a user sees of their sessions.
alter table sessions add column last_seen_at timestamptz;
alter table sessions add column user_agent text;

-- How many refreshes led to it. Those of one generation stand for each other: two tabs that asked
-- together got one each, and go on with one of them.
alter table refresh_tokens add column generation integer not null default 0;

alter table api_keys add column created_by uuid references users (id) on delete set null;

-- An invitation is there until it is accepted or revoked; only the SHA-256 of its token is kept. An
-- address has one at the most: inviting it again replaces the link.
create table invitations (
  id         uuid primary key,
  org_id     uuid not null references organizations (id) on delete cascade,
  email      text not null,
  role       text not null check (role in ('owner', 'admin', 'member')),
  token_hash bytea not null unique,
  invited_by uuid references users (id) on delete set null,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create unique index invitations_by_email on invitations (org_id, lower(email));
create index invitations_by_expiry on invitations (expires_at);

-- Who did what in an organisation. No reference to users: an entry outlives its actor.
create table audit_log (
  org_id        uuid not null,
  id            uuid not null,
  actor_user_id uuid,
  action        text not null,
  target        text,
  details       jsonb not null,
  at            timestamptz not null,
  primary key (org_id, id)
);
create trigger audit_log_append_only
  before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

-- The requests of the last day, as far as they are kept. A slot holds four hours; when its turn comes
-- again it is emptied as a whole, so nothing is ever deleted row by row. Not logged: losing it in a
-- crash is cheaper than writing it twice. An entry with left_out stands for so many that are not
-- there. No references: keys and users are looked up when it is read.
create table request_log (
  slot        smallint not null,
  org_id      uuid not null,
  id          uuid not null,
  at          timestamptz not null,
  mode        text check (mode in ('live', 'test')),
  method      text not null,
  route       text not null,
  path        text not null,
  status      smallint not null,
  duration_ms integer not null,
  key_id      uuid,
  user_id     uuid,
  left_out    integer not null default 0,
  primary key (org_id, id, slot)
) partition by list (slot);
do $$
begin
  for slot in 0..7 loop
    execute format(
      'create unlogged table request_log_%s partition of request_log for values in (%s)',
      slot, slot);
  end loop;
end
$$;
