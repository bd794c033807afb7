-- online

-- Before the first statistics of a table exist, the planner takes an index for the columns of which the query
-- has most, and that with fewer pages if there are two. The hash is therefore the second column: with the
-- application there, it read all subscriptions of the application through the primary key.
create unique index concurrently if not exists push_subscriptions_by_token_hash
  on push_subscriptions (org_id, token_hash, application_id, provider) where token_hash is not null

drop index concurrently if exists push_subscriptions_by_token
