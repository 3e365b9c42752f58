import Crypto
import FoundationEssentials

/// The one style sheet of the pages, and the word of the Content-Security-Policy that admits it.
enum PageStyle {
  /// System fonts, so that nothing is loaded; the marks are drawn with borders. A decline is what
  /// the person wanted, so its mark is as calm as the text.
  static let sheet = """
    :root{color-scheme:light dark;--ground:#f4f5f7;--card:#fff;--text:#1b1f24;--soft:#4a525c;\
    --line:#d5dae0;--good:#1a7f37;--heed:#8a5700;--busy:#2f5fd0}
    @media(prefers-color-scheme:dark){:root{--ground:#14171b;--card:#1e2227;--text:#eef1f4;\
    --soft:#b6bec8;--line:#3a414a;--good:#5ed17c;--heed:#f0b74a;--busy:#8ab0ff}}
    *{box-sizing:border-box}
    body{margin:0;min-height:100vh;min-height:100dvh;display:flex;align-items:center;\
    justify-content:center;padding:1.25rem;background:var(--ground);color:var(--text);\
    font:1.0625rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;\
    overflow-wrap:anywhere;text-align:center}
    main{width:100%;max-width:31rem;padding:2.25rem 1.75rem 2rem;background:var(--card);\
    border:1px solid var(--line);border-radius:1rem}
    h1{margin:1.1rem 0 .6rem;font-size:1.625rem;line-height:1.25;text-wrap:balance}
    p{margin:0;text-wrap:balance}
    :lang(ja){word-break:auto-phrase}
    .next{margin-top:1.25rem;padding-top:1.25rem;border-top:1px solid var(--line)}
    .mark{position:relative;display:block;width:4rem;height:4rem;margin:0 auto;\
    border:.25rem solid;border-radius:50%}
    .mark::before,.mark::after{content:"";position:absolute}
    .check{color:var(--good)}
    .check::before{left:1.25rem;top:.7rem;width:.95rem;height:1.75rem;border:solid;\
    border-width:0 .3rem .3rem 0;transform:rotate(42deg)}
    .cross{color:var(--soft)}
    .cross::before,.cross::after{left:1.6rem;top:.75rem;height:2rem;border-left:.3rem solid;\
    transform:rotate(45deg)}
    .cross::after{transform:rotate(-45deg)}
    .attention{color:var(--heed)}
    .attention::before{left:1.6rem;top:.7rem;height:1.2rem;border-left:.3rem solid}
    .attention::after{left:1.6rem;top:2.3rem;height:.35rem;border-left:.3rem solid}
    .spinner{color:var(--busy);border-top-color:transparent}
    @media(prefers-reduced-motion:no-preference){.spinner{animation:turn 1s linear infinite}}
    @keyframes turn{to{transform:rotate(1turn)}}

    """

  /// The hash source of `sheet` (Content Security Policy Level 3, section 6.7.3).
  static let source = "'sha256-" + Base64.encode(SHA256.hash(sheet.utf8)) + "'"
}
