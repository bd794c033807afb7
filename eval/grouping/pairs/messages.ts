/** Pairs of errors without a stack: type, code and message, or a message alone. */
import { different, type ErrorPair, same } from './pair.ts'

const said = (message: string) => ({ message })

export const MESSAGE_PAIRS: readonly ErrorPair[] = [
  same(
    'objects as a driver prints them',
    said('E11000 duplicate key error index: name_1 dup key: { name: "Bob" }'),
    said('E11000 duplicate key error index: name_1 dup key: { name: "Ann" }'),
  ),
  same(
    'a chunk that is not there after a release',
    {
      type: 'ChunkLoadError',
      message: 'Loading chunk 817 failed.\n(error: https://a.example/js/817.3f2a1b.js)',
    },
    {
      type: 'ChunkLoadError',
      message: 'Loading chunk 12 failed.\n(error: https://a.example/js/12.77ab01.js)',
    },
  ),
  different(
    'codes of a domain of Apple',
    said('The operation couldn’t be completed. (NSURLErrorDomain error -1009.)'),
    said('The operation couldn’t be completed. (NSURLErrorDomain error -1001.)'),
  ),
  different(
    'codes of a domain, the long form',
    said('Error Domain=NSURLErrorDomain Code=-1009 "offline"'),
    said('Error Domain=NSURLErrorDomain Code=-1001 "timed out"'),
  ),
  same(
    'the row in the second line',
    said(
      'duplicate key value violates unique constraint "users_email"\nDETAIL: Key (email)=(bob@example.com) already exists.',
    ),
    said(
      'duplicate key value violates unique constraint "users_email"\nDETAIL: Key (email)=(ann@example.org) already exists.',
    ),
  ),
  same(
    'numbers inside of Japanese',
    said('注文1234が見つかりません'),
    said('注文99が見つかりません'),
  ),
  different(
    'other words in Japanese',
    said('注文1234が見つかりません'),
    said('注文1234を取り消せません'),
  ),
  same('ids', said('Order 1234 could not be closed'), said('Order 99817 could not be closed')),
  same(
    'UUIDs',
    said('Session 6f9619ff-8b86-d011-b42d-00cf4fc964ff expired'),
    said('Session 01890a5d-ac96-774b-bcce-b302099a8057 expired'),
  ),
  same(
    'hex ids with and without digits',
    said('No such object deadbeefcafe'),
    said('No such object 64f1c0a9b2d3'),
  ),
  same(
    'addresses of both families',
    said('Connection to 10.0.0.7:5432 refused'),
    said('Connection to [fe80::1c2d]:5432 refused'),
  ),
  same(
    'hosts',
    said('Could not resolve api.example.com'),
    said('Could not resolve mail.acme.co.uk'),
  ),
  same(
    'URLs',
    said('GET https://api.example.com/v1/orders/12?x=1 timed out'),
    said('GET https://api.example.com/v1/users/7 timed out'),
  ),
  same(
    'e-mail addresses',
    said('Cannot send receipt to ann@example.com'),
    said('Cannot send receipt to bob.smith@acme.org'),
  ),
  same(
    'paths of two systems',
    said('Cannot open /var/lib/vigil/spool/0001.log'),
    said('Cannot open C:\\ProgramData\\vigil\\spool\\0002.log'),
  ),
  same(
    'numbers of two locales',
    said('Total 1,234.56 differs from 1,234.50'),
    said('Total 1.234,56 differs from 99,00'),
  ),
  same(
    'numbers with spaces',
    said('Amount 12 345,67 € is above the limit'),
    said('Amount 800,00 € is above the limit'),
  ),
  same(
    'numbers of Switzerland',
    said("Amount 12'345.60 is above the limit"),
    said('Amount 80.10 is above the limit'),
  ),
  same('digits of Egypt', said('Printer ٣ has no paper'), said('Printer 7 has no paper')),
  same('units', said('Upload of 12 KB took 340 ms'), said('Upload of 3.4 MB took 2 s')),
  same(
    'dates',
    said('Card expired on Sat Jul 9 22:53:22 2025'),
    said('Card expired on Mon Jan 12 01:00:00 2026'),
  ),
  same(
    'time stamps',
    said('2026-08-01T10:00:00Z sync failed'),
    said('2026-08-02 11:12:13,455 sync failed'),
  ),
  same(
    'key and value',
    said('sync failed store=berlin till=4 retry=true'),
    said('sync failed store=paris till=11 retry=false'),
  ),
  same(
    'JSON',
    said('rejected: {"order": "A-1", "total": 12.5, "note": "no onions"}'),
    said('rejected: {"order": "B-22", "total": 3, "note": null}'),
  ),
  same(
    'user names',
    said('Access denied for user alice from 10.1.1.1'),
    said('Access denied for user bob from 10.9.1.1'),
  ),
  same(
    'quoted values',
    said("Duplicate entry 'ann' for key 'users.email'"),
    said("Duplicate entry 'bob' for key 'users.email'"),
  ),
  same('lists of other lengths', said('Dropped batches 12, 13, 14'), said('Dropped batches 7')),
  same('files', said('Template receipt.html is missing'), said('Template invoice.html is missing')),
  same('white space', said('  Printer   offline\r\n'), said('Printer offline')),
  same(
    'what comes after the second line',
    said('Upload failed\nretry later\nattempt 1'),
    said('Upload failed\nretry later\nattempt 2 of 3'),
  ),
  same(
    'memory addresses',
    said('free(): invalid pointer 0x00007f3b10aa'),
    said('free(): invalid pointer 0x55d0'),
  ),
  same(
    'type in the message and beside it',
    { message: 'TimeoutError: no answer in 300 ms' },
    { type: 'TimeoutError', message: 'no answer in 1200 ms' },
  ),
  same(
    'devices',
    { code: 'PRINTER', message: 'Star TSP143 on usb:001 jammed' },
    { code: 'PRINTER', message: 'Star TSP654 on usb:017 jammed' },
  ),
  same(
    'encodings are not numbers',
    said('Invalid utf-8 at byte 12'),
    said('Invalid utf-8 at byte 1009'),
  ),
  same(
    'temporary names',
    said('rename /tmp/.upload-a8f3 -> /data/a8f3.bin failed'),
    said('rename /tmp/.upload-99cc -> /data/99cc.bin failed'),
  ),
  different(
    'other words',
    said('Order 12 could not be closed'),
    said('Order 12 could not be opened'),
  ),
  different(
    'other code',
    { type: 'DbError', code: '23505', message: 'statement failed' },
    { type: 'DbError', code: '40001', message: 'statement failed' },
  ),
  different(
    'other type',
    { type: 'TimeoutError', message: 'request failed' },
    { type: 'TlsError', message: 'request failed' },
  ),
  different(
    'the code of the system',
    said('connect ECONNREFUSED 10.0.0.1:80'),
    said('connect ETIMEDOUT 10.0.0.1:80'),
  ),
  different(
    'other resource',
    said('Failed to connect to database'),
    said('Failed to connect to cache'),
  ),
  different(
    'the reason after the colon',
    said('Payment 12 declined: insufficient funds'),
    said('Payment 12 declined: card expired'),
  ),
  different(
    'status of the answer',
    said('Request failed with status code 404'),
    said('Request failed with status code 503'),
  ),
  different(
    'the error in key and value',
    said('sync failed error=timeout store=4'),
    said('sync failed error=refused store=4'),
  ),
  different(
    'number of the database',
    said('ORA-00942: table or view does not exist'),
    said('ORA-01017: table or view does not exist'),
  ),
  different('encodings', said('Unsupported charset utf-8'), said('Unsupported charset utf-16')),
  different('what happened to the user', said('User deleted'), said('User locked')),
  different(
    'property that is missing',
    { type: 'TypeError', message: "Cannot read properties of undefined (reading 'map')" },
    { type: 'TypeError', message: "Cannot read properties of undefined (reading 'length')" },
  ),
  different(
    'method',
    said('"GET /cart/12 HTTP/1.1" refused'),
    said('"POST /cart/12 HTTP/1.1" refused'),
  ),
  different(
    'column',
    said('column "total" does not exist'),
    said('column "discount" does not exist'),
  ),
  different(
    'class',
    said('ClassNotFoundException: com.acme.pay.Stripe'),
    said('ClassNotFoundException: com.acme.pay.Adyen'),
  ),
  different('negation', said('Printer is online'), said('Printer is not online')),
]
