-- When the user last proved a second factor in the session; null if never. Changes of consequence need a recent proof.
alter table sessions add column factor_at timestamptz;

-- Whether members need a second factor before they can do anything else.
alter table organizations add column requires_second_factor boolean not null default false;
