/**
 * Honest mail services: public providers of permanent mailboxes (in addition to the list that is
 * compiled in), and relays that forward to one. They take precedence over every disposable list,
 * because those lists copy each other's mistakes about them.
 */

/** The evaluation found the domains of the last line to be on the curated list by mistake. */
export const FREE_MAIL_SUPPLEMENT: readonly string[] = words(`
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

/** Forwarding aliases of a permanent mailbox; their subdomains belong to single users. */
export const RELAY_SERVICES: readonly string[] = words(`
  duck.com mozmail.com relay.firefox.com privaterelay.appleid.com simplelogin.com simplelogin.co
  simplelogin.io simplelogin.fr slmail.me slmails.com aleeas.com silomails.com dralias.com 8alias.com
  8shield.net passmail.net passmail.com passinbox.com passfwd.com anonaddy.com anonaddy.me addy.io
  addymail.com cloaked.id ironvest.com blur.com 33mail.com spamgourmet.com forwardemail.net improvmx.com
  erine.email opayq.com
`)

/**
 * Companies that users of such lists have publicly reported as wrongly listed. Any listing of them
 * counts as a mistake.
 */
export const REPORTED_FALSE_LISTINGS: readonly string[] = words(`
  google.com microsoft.com angi.com
`)

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
