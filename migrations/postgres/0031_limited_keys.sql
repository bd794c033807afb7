-- What people say about a key, and what it is limited to. Null scopes and networks are no limit.
alter table api_keys
  add column name text not null default '',
  add column note text not null default '',
  add column scopes text[],
  -- CIDR ranges as text, which the program compares with the address of a request.
  add column networks text[],
  -- Also the end of the overlap of a key that was rolled.
  add column expires_at timestamptz,
  -- Written once a minute at most, and not indexed, so that the update changes no index.
  add column last_used_at timestamptz,
  add column last_used_address text,
  add column last_used_operation text;
