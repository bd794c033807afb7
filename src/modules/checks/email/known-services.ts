/**
 * Honest mail services: public providers of permanent mailboxes (in addition to the list that is
 * compiled in), and relays that forward to one. They take precedence over every disposable list,
 * because those lists copy each other's mistakes about them.
 */

/** The evaluation found the domains of the last line to be on the curated list by mistake. */
const MAIL_SERVICES = words(`
  googlemail.com outlook.com hotmail.com live.com msn.com hotmail.co.uk hotmail.fr hotmail.de
  hotmail.it hotmail.es outlook.de outlook.fr outlook.es outlook.it outlook.jp live.nl live.co.uk
  live.fr live.de ymail.com rocketmail.com yahoo.co.uk yahoo.co.jp yahoo.co.in yahoo.fr yahoo.de
  yahoo.it yahoo.es yahoo.ca yahoo.com.br yahoo.com.ar yahoo.com.au aol.com aim.com icloud.com me.com
  mac.com mail.com email.com usa.com post.com gmx.com gmx.de gmx.net gmx.at gmx.ch gmx.fr gmx.us
  web.de zoho.com zohomail.com zohomail.eu zoho.eu yandex.com yandex.ru yandex.by yandex.kz ya.ru
  mail.ru inbox.ru list.ru bk.ru rambler.ru
  fastmail.com fastmail.fm fastmail.net fastmail.org fastmail.us sent.com messagingengine.com proton.me
  protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tutamail.com tuta.io tuta.com keemail.me
  hey.com hush.com hushmail.com hushmail.me mailbox.org posteo.de posteo.net posteo.org runbox.com
  startmail.com mailfence.com kolabnow.com disroot.org riseup.net autistici.org systemli.org
  countermail.com soverin.net pobox.com luxsci.com vivaldi.net lavabit.com inbox.lv inbox.com mail.de
  mailo.com netc.fr ik.me infomaniak.ch eclipso.eu eclipso.de
  seznam.cz email.cz post.cz centrum.cz atlas.cz centrum.sk azet.sk onet.pl op.pl wp.pl o2.pl
  interia.pl gazeta.pl freemail.hu citromail.hu abv.bg mail.bg ukr.net i.ua meta.ua tut.by mail.ee
  walla.com walla.co.il libero.it virgilio.it tiscali.it alice.it tin.it laposte.net orange.fr
  wanadoo.fr free.fr sfr.fr neuf.fr bbox.fr bluewin.ch hispeed.ch sunrise.ch t-online.de freenet.de
  arcor.de a1.net chello.at aon.at telenet.be skynet.be proximus.be ziggo.nl kpnmail.nl planet.nl
  xs4all.nl hetnet.nl telia.com comhem.se online.no mail.dk kolumbus.fi suomi24.fi eircom.net
  btinternet.com btopenworld.com sky.com virginmedia.com ntlworld.com talktalk.net blueyonder.co.uk
  sapo.pt iol.pt terra.es telefonica.net otenet.gr mynet.com superonline.com
  qq.com vip.qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com tom.com 139.com
  189.cn aliyun.com naver.com daum.net hanmail.net kakao.com nate.com docomo.ne.jp ezweb.ne.jp
  softbank.ne.jp nifty.com biglobe.ne.jp rediffmail.com indiatimes.com hinet.net pchome.com.tw
  uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com prodigy.net.mx fibertel.com.ar
  cantv.net mweb.co.za telkomsa.net bigpond.com bigpond.net.au optusnet.com.au iinet.net.au xtra.co.nz
  comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net rr.com earthlink.net
  juno.com netzero.net optonline.net frontier.com centurylink.net rogers.com shaw.ca telus.net
  sympatico.ca videotron.ca excite.com lycos.com
  neomailbox.com sify.com
`)

/**
 * Further names that the customers of large providers choose among: mail.com, Fastmail, Microsoft, Yahoo,
 * Zoho, Yandex and Rambler.
 */
const NAMES_OF_PROVIDERS = words(`
  2trom.com accountant.com activist.com adexec.com africamail.com aircraftmail.com allergist.com
  alumni.com alumnidirector.com americamail.com angelic.com archaeologist.com arcticmail.com
  artlover.com asia-mail.com asia.com atheist.com auctioneer.net australiamail.com bartender.net
  bellair.net bikerider.com birdlover.com blader.com boardermail.com brazilmail.com brew-master.com
  californiamail.com catholic.org catlover.com cheerful.com chef.net chemist.com chinamail.com
  clerk.com clubmember.org collector.org columnist.com comic.com computer4u.com consultant.com
  contractor.net counsellor.com cutey.com cyber-wizard.com cyberdude.com cybergal.com
  cyberservices.com dallasmail.com dbzmail.com delhimail.com deliveryman.com diplomats.com
  disciples.com doctor.com doglover.com doramail.com dr.com dutchmail.com earthling.net elvisfan.com
  engineer.com englandmail.com europe.com execs.com fastservice.com financier.com fireman.net
  galaxyhit.com gardener.com geologist.com germanymail.com glay.org graduate.org
  graphic-designer.com greecemail.com groupmail.com hackermail.com hairdresser.net hilarious.com
  hiphopfan.com hockeymail.com homemail.com hot-shot.com housemail.com iname.com innocent.com
  inorbit.com instruction.com instructor.net insurer.com irelandmail.com israelmail.com
  italymail.com job4u.com journalist.com keromail.com kittymail.com koreamail.com lawyer.com
  legislator.com linuxmail.org lobbyist.com lovecat.com madonnafan.com marchmail.com metalfan.com
  mexicomail.com mindless.com minister.com moscowmail.com musician.org muslim.com myself.com
  net-shopping.com ninfan.com nonpartisan.com null.net nycmail.com optician.com orthodontist.net
  pacific-ocean.com pacificwest.com pediatrician.com petlover.com photographer.net physicist.net
  planetmail.com planetmail.net polandmail.com politician.com presidency.com priest.com
  programmer.net protestant.com publicist.com qualityservice.com radiologist.net ravemail.com
  realtyagent.com reborn.com reggaefan.com registerednurses.com religious.com repairman.com
  representative.com rescueteam.com rockfan.com russiamail.com safrica.com saintly.com
  salesperson.net samerica.com sanfranmail.com scientist.com scotlandmail.com secretary.net
  snakebite.com socialworker.net sociologist.com solution4u.com songwriter.net spainmail.com
  surgical.net swedenmail.com swissmail.com teachers.org tech-center.com techie.com technologist.com
  therapist.net toke.com toothfairy.com torontomail.com tvstar.com umpire.com unforgettable.com
  uymail.com winning.com witty.com worldnewsmail.com writeme.com
  123mail.org 150mail.com 150ml.com 16mail.com 2-mail.com 4email.net 50mail.com airpost.net
  allmail.net bestmail.us cluemail.com elitemail.org emailcorner.net emailengine.net emailengine.org
  emailgroups.net emailplus.org emailuser.net eml.cc f-m.fm fast-email.com fast-mail.org fastem.com
  fastemail.us fastemailer.com fastest.cc fastimap.com fastmail.cn fastmail.co.uk fastmail.com.au
  fastmail.es fastmail.im fastmail.in fastmail.jp fastmail.mx fastmail.nl fastmail.se fastmail.to
  fastmail.tw fastmail.uk fastmailbox.net fastmessaging.com fea.st fmail.co.uk fmailbox.com
  fmgirl.com fmguy.com ftml.net h-mail.us hailmail.net imap-mail.com imap.cc imapmail.org
  inoutbox.com internet-e-mail.com internet-mail.org internetemails.net internetmailing.net
  jetemail.net justemail.net letterboxes.org mail-central.com mail-page.com mailandftp.com
  mailas.com mailbolt.com mailc.net mailcan.com mailforce.net mailftp.com mailhaven.com
  mailingaddress.org mailite.com mailmight.com mailnew.com mailsent.net mailservice.ms mailup.net
  mailworks.org ml1.net mm.st myfastmail.com mymacmail.com nospammail.net ownmail.net petml.com
  postinbox.com postpro.net proinbox.com promessage.com realemail.net reallyfast.biz reallyfast.info
  rushpost.com sent.as sent.at speedpost.net speedymail.org ssl-mail.com swift-mail.com
  the-fastest.net the-quickest.com theinternetemail.com veryfast.biz veryspeedy.net warpmail.net
  xsmail.com yepmail.net your-mail.com
  hotmail.be hotmail.ca hotmail.cl hotmail.co.il hotmail.co.jp hotmail.co.kr hotmail.co.nz
  hotmail.co.th hotmail.co.za hotmail.com.ar hotmail.com.au hotmail.com.br hotmail.com.mx
  hotmail.com.tr hotmail.cz hotmail.dk hotmail.fi hotmail.gr hotmail.hu hotmail.nl hotmail.no
  hotmail.pt hotmail.se hotmail.sg live.at live.be live.ca live.cl live.cn live.co.za live.com.ar
  live.com.au live.com.mx live.com.pt live.com.sg live.dk live.ie live.in live.it live.jp live.no
  live.ru live.se outlook.at outlook.be outlook.cl outlook.co.id outlook.co.il outlook.co.nz
  outlook.co.th outlook.com.ar outlook.com.au outlook.com.br outlook.com.gr outlook.com.pe
  outlook.com.tr outlook.com.vn outlook.cz outlook.dk outlook.hu outlook.ie outlook.in outlook.kr
  outlook.lv outlook.my outlook.ph outlook.pt outlook.sa outlook.sg outlook.sk webtv.net
  windowslive.com
  myyahoo.com yahoo.at yahoo.be yahoo.bg yahoo.cl yahoo.co.id yahoo.co.il yahoo.co.kr yahoo.co.nz
  yahoo.co.th yahoo.co.za yahoo.com.co yahoo.com.hk yahoo.com.hr yahoo.com.mx yahoo.com.my
  yahoo.com.pe yahoo.com.ph yahoo.com.sg yahoo.com.tr yahoo.com.tw yahoo.com.ua yahoo.com.ve
  yahoo.com.vn yahoo.cz yahoo.dk yahoo.ee yahoo.fi yahoo.gr yahoo.hr yahoo.hu yahoo.ie yahoo.in
  yahoo.lt yahoo.lv yahoo.nl yahoo.no yahoo.pl yahoo.pt yahoo.ro yahoo.se yahoo.si yahoo.sk
  yahooxtra.co.nz
  atomicmail.io firemail.cc hush.ai mail2world.com safe-mail.net sibmail.com vfemail.net
  autorambler.ru myrambler.ru narod.ru xmail.ru yandex.com.tr yandex.ee yandex.lt yandex.lv
  yandex.ua zoho.com.au zoho.in zohomail.com.au zohomail.in
`)

export const FREE_MAIL_SUPPLEMENT: readonly string[] = [...MAIL_SERVICES, ...NAMES_OF_PROVIDERS]

/** Forwarding aliases of a permanent mailbox; their subdomains belong to single users. */
export const RELAY_SERVICES: readonly string[] = words(`
  duck.com mozmail.com relay.firefox.com privaterelay.appleid.com simplelogin.com simplelogin.co
  simplelogin.io simplelogin.fr slmail.me slmails.com aleeas.com silomails.com dralias.com 8alias.com
  8shield.net passmail.net passmail.com passinbox.com passfwd.com anonaddy.com anonaddy.me addy.io
  addymail.com cloaked.id ironvest.com blur.com 33mail.com spamgourmet.com spamgourmet.net spamgourmet.org
  sneakemail.com snkmail.com snkml.com forwardemail.net improvmx.com erine.email opayq.com
`)

/**
 * Companies that users of such lists have publicly reported as wrongly listed, or that are among the
 * sites with the most links to them. Any listing of them counts as a mistake.
 */
export const REPORTED_FALSE_LISTINGS: readonly string[] = words(`
  google.com microsoft.com angi.com afternic.com
`)

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
