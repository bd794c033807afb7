-- Money is counted in units: one credit is 10,000 units.

-- One row per priced thing, written in the transaction that did the thing. There is no reference to
-- organizations: its check would lock the organisation's row in every request. Rows that cost
-- nothing (test mode) are never posted, so they never enter the second index.
create table usage_events (
  org_id      uuid not null,
  id          uuid not null,
  mode        text not null check (mode in ('live', 'test')),
  meter       text not null,
  quantity    bigint not null check (quantity >= 0),
  cost_units  bigint not null check (cost_units >= 0),
  -- The check, order or log batch that was priced.
  source_id   uuid not null,
  occurred_at timestamptz not null,
  -- The transfer that debited it; null until then. Written just before that transfer in the same
  -- transaction, hence no foreign key: it would be 50,000 look-ups of one row.
  transfer_id uuid,
  primary key (org_id, id),
  check (mode = 'live' or cost_units = 0)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index usage_events_unposted on usage_events (org_id, id) include (cost_units)
  where transfer_id is null and cost_units > 0;

-- Double entry: what one account of an organisation gives, another of the same organisation takes.
-- A balance is what the account took less what it gave. The wallet may go below zero (OP-20).
create table ledger_accounts (
  org_id        uuid not null references organizations (id),
  kind          text not null check (kind in ('wallet', 'grants', 'revenue')),
  balance_units bigint not null default 0,
  primary key (org_id, kind)
);

create table ledger_transfers (
  org_id          uuid not null,
  id              uuid not null,
  debit_account   text not null,
  credit_account  text not null check (credit_account <> debit_account),
  amount_units    bigint not null check (amount_units > 0),
  reason          text not null,
  idempotency_key text not null,
  created_at      timestamptz not null,
  primary key (org_id, id),
  unique (org_id, idempotency_key),
  foreign key (org_id, debit_account) references ledger_accounts (org_id, kind),
  foreign key (org_id, credit_account) references ledger_accounts (org_id, kind)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end
$$;
create trigger ledger_transfers_append_only
  before update or delete or truncate on ledger_transfers
  for each statement execute function refuse_change();
