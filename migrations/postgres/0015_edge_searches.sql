-- Views of the log explorer that members keep under a name: the query of the page, as it stands in its URL.
-- Without an index beside the key: an organisation has a hundred at most, and they are read together.
create table edge_searches (
  org_id     uuid not null,
  id         uuid not null,
  name       text not null,
  filters    jsonb not null,
  created_by uuid not null,
  created_at timestamptz not null,
  primary key (org_id, id)
);
