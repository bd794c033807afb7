-- The orders of one profile, newest first, for those who look into it. Rows of orders are never
-- updated, so the index costs one entry per order that names a profile, at the end of that profile's.
create index orders_by_profile on orders (org_id, profile_id, id) where profile_id is not null;
