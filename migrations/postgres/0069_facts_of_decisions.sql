-- online: each statement runs by itself, and can run again
-- What statistics about decisions need of the order: reading it from the orders parsed a whole order for each decision.
-- An order never changes. Without `rules`, the facts are not stored: the decision is about a cashier action, its order had
-- been deleted, or a node of the previous version wrote it.
alter table review_decisions
  add column if not exists amount_cents double precision,
  add column if not exists currency text,
  add column if not exists rules text[],
  add column if not exists shadow_rules text[]

update review_decisions d set
  amount_cents = (o.request ->> 'amount_cents')::float8,
  currency = upper(coalesce(o.request ->> 'currency', 'USD')),
  rules = array(select distinct a ->> 'rule' from json_array_elements(o.assessment -> 'adjustments') a
    where a ->> 'by' = 'rule'),
  shadow_rules = array(select distinct a ->> 'rule' from json_array_elements(o.assessment -> 'shadows') a
    where a ->> 'by' = 'rule')
from orders o
where d.rules is null and d.subject = 'order' and o.org_id = d.org_id and o.id = d.subject_id
