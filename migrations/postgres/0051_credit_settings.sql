-- The balance below which members are notified. Without a row it is what was used in the last seven days.
create table credit_settings (
  org_id            uuid not null primary key,
  low_balance_units bigint not null check (low_balance_units >= 0)
);
