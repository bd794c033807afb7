-- Links to portals. Only the SHA-256 of their tokens is stored.
create table portal_links (
  id uuid primary key,
  org_id uuid not null references organizations (id) on delete cascade,
  -- In the cell of the organization. A link to a portal that was deleted is invalid.
  portal_id uuid not null,
  token_hash bytea not null unique,
  note text not null,
  created_at timestamptz not null,
  -- Null for links that a backend or the command line has created.
  created_by uuid references users (id) on delete set null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  last_used_at timestamptz
);
create index portal_links_by_portal on portal_links (org_id, portal_id, id);
create index portal_links_by_expiry on portal_links (expires_at);
