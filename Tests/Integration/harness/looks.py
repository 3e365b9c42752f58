"""What can be measured of how a page looks: contrasts, sizes, and what sticks out of the window."""

import re

# Every text with its colour, its background and its size, and the edges of what is drawn or pressed.
_MEASURE = """
(() => {
  const ground = e => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (!/^rgba\\(.*, 0\\)$/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const found = [];
  for (const e of document.body.querySelectorAll('*')) {
    const style = getComputedStyle(e);
    const texts = [...e.childNodes].filter(n => n.nodeType === 3 && n.data.trim());
    const large = parseFloat(style.fontSize) >= 24
      || parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700;
    if (texts.length) found.push([texts[0].data.trim(), style.color, ground(e), large ? 3 : 4.5]);
    if (e.matches('.mark, button, .button'))
      found.push([`edge of ${e.className || e.value}`, style.borderBottomColor,
        ground(e.parentElement), 3]);
  }
  return found;
})()
"""

_STICKING_OUT = """
[...document.querySelectorAll('*')].filter(e => {
  const box = e.getBoundingClientRect();
  return box.width && (box.right > innerWidth + 0.5 || box.left < -0.5);
}).map(e => e.outerHTML.slice(0, 80))
"""


def _luminance(colour):
    """Relative luminance as WCAG 2 defines it."""
    values = [int(value) / 255 for value in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """From 1 to 21, of two colours as `getComputedStyle` writes them."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def too_faint(tab):
    """What has less contrast than WCAG 2's level AA asks for."""
    measured = tab.ask(_MEASURE)
    assert measured
    return [
        (what, round(contrast(colour, ground), 2)) for what, colour, ground, least in measured
        if contrast(colour, ground) < least]


def sticking_out(tab):
    """What a person would have to scroll sideways for."""
    wide = tab.ask("document.documentElement.scrollWidth > innerWidth")
    return (["the page"] if wide else []) + tab.ask(_STICKING_OUT)
