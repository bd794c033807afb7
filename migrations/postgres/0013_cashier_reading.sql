-- The actions of one cashier, the newest first: what people look at who were told of one of them.
create index cashier_actions_by_cashier on cashier_actions (org_id, cashier_id, id);
