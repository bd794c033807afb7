-- What a debit of usage consists of, by meter; written with the debit. Debits of earlier versions have no rows.
create table ledger_usage (
  org_id      uuid not null,
  transfer_id uuid not null,
  meter       text not null,
  quantity    bigint not null,
  cost_units  bigint not null,
  primary key (org_id, transfer_id, meter)
);
