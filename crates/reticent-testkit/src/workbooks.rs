//! Small Excel and OpenDocument workbooks.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A cell.
#[derive(Debug, Clone)]
pub enum Cell {
    /// A text.
    Text(&'static str),
    /// A number.
    Number(f64),
    /// A number in the cell with this name, wherever it stands in the rows.
    Far(&'static str),
    /// A date, as the number of days that Excel stores.
    Day(u32),
}

/// Returns an Excel workbook with these sheets. The rows start at the third row of each sheet.
pub fn xlsx(sheets: &[(&str, Vec<Vec<Cell>>)]) -> Vec<u8> {
    let numbered = || sheets.iter().zip(1..);
    let listed: String =
        numbered().map(|((name, _), at)| format!(r#"<sheet name="{name}" sheetId="{at}" r:id="rId{at}"/>"#)).collect();
    let related: String = numbered()
        .map(|(_, at)| {
            format!(r#"<Relationship Id="rId{at}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{at}.xml"/>"#)
        })
        .collect();
    let mut files = vec![
        (
            "[Content_Types].xml".to_owned(),
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#.to_owned(),
        ),
        (
            "_rels/.rels".to_owned(),
            relationships(&format!(
                r#"<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/>"#
            )),
        ),
        (
            "xl/workbook.xml".to_owned(),
            format!(r#"<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>"#),
        ),
        (
            "xl/_rels/workbook.xml.rels".to_owned(),
            relationships(&format!(
                r#"{related}<Relationship Id="rId99" Type="{OFFICE}/styles" Target="styles.xml"/>"#
            )),
        ),
        // Style 1 is a date.
        (
            "xl/styles.xml".to_owned(),
            format!(
                r#"<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#
            ),
        ),
    ];
    for ((_, rows), at) in numbered() {
        let rows: String = rows.iter().zip(3..).map(|(row, number)| xlsx_row(row, number)).collect();
        let sheet = format!(r#"<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>"#);
        files.push((format!("xl/worksheets/sheet{at}.xml"), sheet));
    }
    archive(&files)
}

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

fn relationships(inside: &str) -> String {
    format!(
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inside}</Relationships>"#
    )
}

fn xlsx_row(row: &[Cell], number: u32) -> String {
    let cell = |(cell, letter): (&Cell, char)| match cell {
        Cell::Text(text) => {
            format!(r#"<c r="{letter}{number}" t="inlineStr"><is><t>{}</t></is></c>"#, text.replace('&', "&amp;"))
        }
        Cell::Far(place) => format!(r#"<c r="{place}"><v>7</v></c>"#),
        Cell::Number(value) => format!(r#"<c r="{letter}{number}"><v>{value}</v></c>"#),
        Cell::Day(day) => format!(r#"<c r="{letter}{number}" s="1"><v>{day}</v></c>"#),
    };
    let cells: String = row.iter().zip('A'..='Z').map(cell).collect();
    format!(r#"<row r="{number}">{cells}</row>"#)
}

/// Returns an OpenDocument workbook with one sheet. A day is written as the date `2013-01-31` in text form.
pub fn ods(name: &str, rows: &[Vec<Cell>]) -> Vec<u8> {
    let cell = |cell: &Cell| {
        match cell {
        Cell::Text(text) => format!(r#"<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>"#),
        Cell::Number(value) => {
            format!(r#"<table:table-cell office:value-type="float" office:value="{value}"><text:p>{value}</text:p></table:table-cell>"#)
        }
        Cell::Far(_) => String::new(),
        Cell::Day(_) => r#"<table:table-cell office:value-type="date" office:date-value="2013-01-31"><text:p>31.01.13</text:p></table:table-cell>"#.to_owned(),
    }
    };
    let rows: String = rows
        .iter()
        .map(|row| format!("<table:table-row>{}</table:table-row>", row.iter().map(cell).collect::<String>()))
        .collect();
    let content = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="{name}">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"#
    );
    let kind = "application/vnd.oasis.opendocument.spreadsheet";
    let manifest = format!(
        r#"<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>"#
    );
    archive(&[
        ("mimetype".to_owned(), kind.to_owned()),
        ("META-INF/manifest.xml".to_owned(), manifest),
        ("content.xml".to_owned(), content),
    ])
}

fn archive(files: &[(String, String)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in files {
        writer.start_file(name.as_str(), options).expect("a file of the archive");
        writer.write_all(content.as_bytes()).expect("its content");
    }
    writer.finish().expect("an archive").into_inner()
}
