-- Which words occur in the data of a granule: a condition on a member of the data reads only the granules
-- that have its name and its value. A Bloom filter, because a text index takes five times the bytes and
-- four times the CPU, and costs more than it saves. Rows that are there already are read without it.
alter table edge_logs add index if not exists data_words lower(data) type tokenbf_v1(16384, 2, 0) granularity 1;
